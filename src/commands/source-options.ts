/* What the commands that make lists, farms and searches have in common. */

export const nameOption = { value: 'text', help: 'what it is called', required: true } as const;
