// glTF 2.0, section 3.11; ALGORITHMS.md section 1, not section 4.
