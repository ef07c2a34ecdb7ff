/** HTML that is safe to send. Only the tag `html` below makes it, and that escapes every value. */
export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

type Value = string | number | Html | readonly Html[]

/**
 * A template tag that escapes every value as text, except a value that `html` made. The result is
 * safe between tags and inside double-quoted attributes.
 */
export function html(literals: TemplateStringsArray, ...values: readonly Value[]): Html {
  return new Html(
    literals.reduce((text, literal, at) => `${text}${markup(values[at - 1] ?? '')}${literal}`),
  )
}

function markup(value: Value): string {
  if (value instanceof Html) return value.text
  if (typeof value === 'object') return value.map(({ text }) => text).join('')
  return String(value).replace(/[&<>"']/g, (sign) => entities[sign] ?? '')
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
