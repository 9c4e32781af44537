; Which word will the letters spell, read from the top? At the start, T is on S; A, E and R are on the table.
(define (problem words)
  (:domain blocks)
  (:objects a e r s t - block)
  (:init
    (handempty)
    (ontable a) (clear a)
    (ontable e) (clear e)
    (ontable r) (clear r)
    (ontable s) (on t s) (clear t))
  (:goal (and <HYPOTHESIS>)))
