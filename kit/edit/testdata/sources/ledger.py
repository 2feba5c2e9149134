"""Keeps a ledger of small payments, with “quoted” remarks and a café or two."""

import datetime
import sys


class Ledger:
    """A list of entries that never loses one."""

    def __init__(self, name, limit=100):
        self.name = name
        self.limit = limit
        self.entries = []

    def add(self, amount, remark=''):
        # An amount of zero is a note, not a payment.
        if amount < 0 and not self.allows(amount):
            raise ValueError('"%s" would exceed the limit of %d\n' % (remark, self.limit))
        self.entries.append((datetime.date.today(), amount, remark))
        return len(self.entries)

    def allows(self, amount):
        total = 0
        for _, value, _ in self.entries:
            total += value
        return total + amount >= -self.limit

    def report(self, out=sys.stdout):
        for day, value, remark in self.entries:
            if remark:
                out.write('%s  %8.2f  %s\n' % (day, value, remark))
            else:
                out.write('%s  %8.2f\n' % (day, value))

        if not self.entries:
            out.write("nothing yet\n")


def main(arguments):
    ledger = Ledger('tea', limit=20)
    for word in arguments:
        try:
            ledger.add(float(word))
        except ValueError as fault:
            print(fault, file=sys.stderr)
            return 1
    ledger.report()
    return 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
