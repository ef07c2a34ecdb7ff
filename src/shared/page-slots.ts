/**
 * The places in the built download page that the server fills in for each link. They are plain text
 * in text or in a double-quoted attribute, so one way of escaping serves them all.
 */
export const pageSlots = [
  /** The public origin of this server, the same for all links. */
  'origin',
  'code',
  'name',
  'size',
  'kind',
  'label',
  'tone',
  'until',
  'expiresAt',
  /** createdAt, maxLifetimeAt and the server's own time now, in milliseconds since 1970. */
  'created',
  'max',
  'now',
  'livedWidth',
  'validX',
  'validWidth',
  'renewableX',
  'renewableWidth',
  /** Of all bytes, in hexadecimal; stands only where `ifStart('sha256')` has left it. */
  'sha256',
] as const

export type PageSlot = (typeof pageSlots)[number]

/** How a slot is written in the template. */
export function slot(name: PageSlot): string {
  return `{{${name}}}`
}

/**
 * How the two ends of what shows only for some links are written in the template: for one kind of
 * file, by its name, or `sha256` for files whose SHA-256 is known.
 */
export function ifStart(condition: string): string {
  return `{{#${condition}}}`
}
export function ifEnd(condition: string): string {
  return `{{/${condition}}}`
}
