/** Whether an error is PostgreSQL's refusal of a second row, by the index that refused it. */
export function isUniqueViolation(error: unknown, index: string): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const { code, constraint_name: name } = cause as { code?: string; constraint_name?: string };
    if (code === '23505') return name === index;
  }
  return false;
}
