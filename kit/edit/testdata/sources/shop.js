import { readFile } from 'node:fs/promises';

const DEFAULTS = {
  currency: 'EUR',
  locale: "de-DE",
  retries: 3,
};

export class Basket {
  constructor(options = {}) {
    this.options = { ...DEFAULTS, ...options };
    this.items = new Map();
  }

  add(name, price, count = 1) {
    const have = this.items.get(name) ?? { price, count: 0 };
    have.count += count;
    this.items.set(name, have);
    return this;
  }

  total() {
    let sum = 0;
    for (const { price, count } of this.items.values()) {
      sum += price * count;
    }
    return new Intl.NumberFormat(this.options.locale, {
      style: 'currency',
      currency: this.options.currency,
    }).format(sum);
  }
}

export async function load(path) {
  const text = await readFile(path, 'utf8');
  const basket = new Basket();
  for (const line of text.split('\n')) {
    const [name, price, count] = line.split('\t');
    if (!name) continue;
    basket.add(name, Number(price), Number(count || 1));
  }
  return basket;
}
