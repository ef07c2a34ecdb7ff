/** Writes a number with its noun. Examples: '1 file', '1,234,567 files'. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : many}`
}
