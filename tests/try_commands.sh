# Runs the commands of an installed askwise: sh tests/try_commands.sh FOLDER_OF_PYTHON FOLDER_OF_EXAMPLES
set -e
bin=$1
examples=$2
"$bin/askwise" --version
"$bin/askwise" > help.txt
"$bin/python" -m askwise --help | cmp - help.txt
"$bin/askwise" show "$examples/kitchen.toml" > /dev/null
"$bin/askwise" edp "$examples/two-goals.txt" > /dev/null
"$bin/askwise" ask "$examples/ward.toml" > /dev/null
"$bin/askwise" run "$examples/workshop.json" --goal S9 --seed 1 --html episode.html --gif episode.gif > /dev/null
"$bin/askwise" evaluate "$examples/ward.toml" --method never --episodes 5 > /dev/null
"$bin/askwise" generate --size 6 --stations 3 --toolboxes 1 --seed 1 > workshop.json
"$bin/askwise" solve workshop.json > /dev/null
"$bin/askwise" completion bash > /dev/null
"$bin/python" -c 'import askwise, gymnasium; gymnasium.make("askwise/ToolFetching-v0").reset(seed=1)'
rm -f help.txt episode.html episode.gif workshop.json
echo "askwise was installed and its commands ran"
