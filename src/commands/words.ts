/** Words separated by commas, without empty ones. */
export function words(text: string): string[] {
  return text.split(',').flatMap((word) => (word.trim() ? [word.trim()] : []));
}
