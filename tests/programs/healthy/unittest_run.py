"""A test run whose tests provoke and check errors."""

import unittest


class Division(unittest.TestCase):
    def test_by_zero(self):
        with self.assertRaises(ZeroDivisionError):
            1 / 0

    def test_exit(self):
        with self.assertRaises(SystemExit):
            raise SystemExit(3)


if __name__ == "__main__":
    unittest.main()
