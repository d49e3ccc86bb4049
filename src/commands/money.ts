/** Whole cents as dollars: `1234` is `$12.34`. */
export function dollars(cents: number): string {
  return `$${(cents / 100).toFixed(2)}`;
}
