(set-logic QF_BV)
; Generated from the rules. Squares are bits, a1 the lowest, then b1, c1, a2 and so on to c3.
; t is #b0 when X is to move and #b1 when O is.

(define-fun line ((m (_ BitVec 9))) Bool
  (or (= (bvand m #b000000111) #b000000111)
      (= (bvand m #b000111000) #b000111000)
      (= (bvand m #b111000000) #b111000000)
      (= (bvand m #b001001001) #b001001001)
      (= (bvand m #b010010010) #b010010010)
      (= (bvand m #b100100100) #b100100100)
      (= (bvand m #b100010001) #b100010001)
      (= (bvand m #b001010100) #b001010100)))

(define-fun count ((m (_ BitVec 9))) (_ BitVec 4)
  (bvadd (concat #b000 ((_ extract 0 0) m))
         (concat #b000 ((_ extract 1 1) m))
         (concat #b000 ((_ extract 2 2) m))
         (concat #b000 ((_ extract 3 3) m))
         (concat #b000 ((_ extract 4 4) m))
         (concat #b000 ((_ extract 5 5) m))
         (concat #b000 ((_ extract 6 6) m))
         (concat #b000 ((_ extract 7 7) m))
         (concat #b000 ((_ extract 8 8) m))))

(define-fun legal ((x (_ BitVec 9)) (o (_ BitVec 9)) (t (_ BitVec 1))) Bool (and
  (= (bvand x o) #b000000000)
  (= (count x) (bvadd (count o) (concat #b000 t)))
  (not (line (ite (= t #b0) x o)))))

; A finished line that ends the game, so that no move may follow.
(define-fun stops ((m (_ BitVec 9))) Bool
  (or (= (bvand m #b000000111) #b000000111)
      (= (bvand m #b000111000) #b000111000)
      (= (bvand m #b111000000) #b111000000)
      (= (bvand m #b001001001) #b001001001)
      (= (bvand m #b010010010) #b010010010)
      (= (bvand m #b100100100) #b100100100)
      (= (bvand m #b100010001) #b100010001)
      (= (bvand m #b001010100) #b001010100)))

(define-fun plays ((x (_ BitVec 9)) (o (_ BitVec 9)) (t (_ BitVec 1)) (move (_ BitVec 9))
                   (x1 (_ BitVec 9)) (o1 (_ BitVec 9)) (t1 (_ BitVec 1))) Bool (and
  (not (stops x))
  (not (stops o))
  (or (= move #b000000001)
      (= move #b000000010)
      (= move #b000000100)
      (= move #b000001000)
      (= move #b000010000)
      (= move #b000100000)
      (= move #b001000000)
      (= move #b010000000)
      (= move #b100000000))
  (= (bvand move (bvor x o)) #b000000000)
  (= x1 (ite (= t #b0) (bvor x move) x))
  (= o1 (ite (= t #b0) o (bvor o move)))
  (= t1 (bvnot t))))

(declare-const x (_ BitVec 9))
(declare-const o (_ BitVec 9))
(declare-const t (_ BitVec 1))

; A legal board has finished lines of both sides.
(assert (legal x o t))
(assert (and (line x) (line o)))
(check-sat)
