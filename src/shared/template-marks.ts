/**
 * The build leaves marks in the pages that it renders, and the server replaces them. This is the
 * mark of a placeholder, where a text goes. Two other marks enclose a section: the page shows it
 * only if its condition is true.
 */
export function placeholderMark(name: string): string {
  return `{{${name}}}`
}

/** Marks the start of a section. Several sections may have the same condition. */
export function sectionStart(condition: string): string {
  return `{{#${condition}}}`
}

/** Marks the end of a section that began with the same condition. */
export function sectionEnd(condition: string): string {
  return `{{/${condition}}}`
}
