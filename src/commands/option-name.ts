/** The option that sets a field: `account_num` becomes `account-num`. */
export function optionName(field: string): string {
  return field.replaceAll('_', '-');
}
