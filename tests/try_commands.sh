# Runs the commands of an installed askwise: sh tests/try_commands.sh FOLDER_OF_PYTHON
set -e
bin=$1
"$bin/askwise" --version
"$bin/askwise" > help.txt
"$bin/python" -m askwise --help | cmp - help.txt
"$bin/askwise" show kitchen > /dev/null
"$bin/askwise" edp two-goals > /dev/null
"$bin/askwise" ask ward > /dev/null
"$bin/askwise" run workshop --goal S9 --seed 1 --html episode.html --gif episode.gif > /dev/null
"$bin/askwise" evaluate ward --method never --episodes 5 > /dev/null
"$bin/askwise" generate --size 6 --stations 3 --toolboxes 1 --seed 1 > workshop.json
"$bin/askwise" solve workshop.json > /dev/null
"$bin/askwise" completion bash > /dev/null
"$bin/python" -c 'import askwise.envs, gymnasium; gymnasium.make("askwise/ToolFetching-v0").reset(seed=1)'
rm -f help.txt episode.html episode.gif workshop.json
echo "askwise was installed and its commands ran"
