/**
 * The build renders pages with marks, and the server replaces the marks. A placeholder is a place for a
 * text. A section is a part that the page shows only if its condition is true.
 */
export function placeholderMark(name: string): string {
  return `{{${name}}}`
}

/** Marks the start of a section. Several sections may have the same condition. */
export function sectionStart(condition: string): string {
  return `{{#${condition}}}`
}

export function sectionEnd(condition: string): string {
  return `{{/${condition}}}`
}
