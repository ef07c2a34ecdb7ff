import { sectionEnd, sectionStart, slotMark } from '../../shared/template-marks.ts'
import { StartFault } from '../start-fault.ts'

/** What the build made of a page, and what the server must find in it. */
export interface BuiltTemplate<Slot extends string, Condition extends string> {
  /** The name of the file, for messages. */
  file: string
  html: string
  slots: readonly Slot[]
  conditions: readonly Condition[]
  /** True for a page that need not have every slot and every section. */
  mayLackSome?: boolean
}

/** A page of which each view only has to join texts. */
export interface Page<Slot extends string> {
  /** The template without the sections whose condition is false. */
  text: string
  /** Fills in the slots. Every value is escaped as text. */
  fill: (values: Readonly<Record<Slot, string>>) => string
}

/**
 * Returns the function that makes the page in which these conditions are true. Each combination of
 * conditions is prepared once, when it is first needed.
 * @throws {StartFault} when a slot or a section is missing, or a section is not closed.
 */
export function makeTemplate<Slot extends string, Condition extends string>(
  built: BuiltTemplate<Slot, Condition>,
): (holding: readonly Condition[]) => Page<Slot> {
  if (built.mayLackSome !== true) requireAll(built)
  // Here all conditions are true. So a section that is not closed is found at the start of the
  // server.
  compile(onlyWhere(built, built.conditions), built)
  const pages = new Map<string, Page<Slot>>()
  return (holding) => {
    const key = holding.join()
    const known = pages.get(key)
    if (known) return known
    const text = onlyWhere(built, holding)
    const page = { text, fill: compile(text, built) }
    pages.set(key, page)
    return page
  }
}

function requireAll({ file, html, slots, conditions }: BuiltTemplate<string, string>) {
  for (const name of slots) {
    if (!html.includes(slotMark(name))) throw builtForAnother(file, `no ${slotMark(name)}`)
  }
  for (const condition of conditions) {
    if (!html.includes(sectionStart(condition))) {
      throw builtForAnother(file, `nothing for ${condition}`)
    }
  }
}

/** Keeps the sections of the template whose condition is in `holding`, and removes the others. */
function onlyWhere<Condition extends string>(
  { file, html, conditions }: BuiltTemplate<string, Condition>,
  holding: readonly Condition[],
): string {
  return conditions.reduce((rest, condition) => {
    const [before = '', ...sections] = rest.split(sectionStart(condition))
    if (before.includes(sectionEnd(condition)))
      throw builtForAnother(file, `no start of ${condition}`)
    return sections.reduce((page, section) => {
      const [inner = '', after, ...others] = section.split(sectionEnd(condition))
      if (after === undefined || others.length > 0) {
        throw builtForAnother(file, `no end of ${condition}`)
      }
      return page + (holding.includes(condition) ? inner : '') + after
    }, before)
  }, html)
}

/**
 * Splits a template once at its slots, the gaps such as {{name}} that values fill. The returned
 * function only joins texts. It does not look for slots in the values, so a file that is called
 * {{name}} keeps its name.
 */
function compile<Slot extends string>(html: string, { file, slots }: BuiltTemplate<Slot, string>) {
  const [head = '', ...rest] = html.split(/\{\{(.*?)\}\}/)
  const parts: { name: Slot; text: string }[] = []
  for (let at = 0; at < rest.length; at += 2) {
    const name = slots.find((known) => known === rest[at])
    if (name === undefined) throw builtForAnother(file, `{{${rest[at]}}}`)
    parts.push({ name, text: rest[at + 1] ?? '' })
  }
  return (values: Readonly<Record<Slot, string>>): string => {
    let page = head
    for (const { name, text } of parts) page += escapeHtml(values[name]) + text
    return page
  }
}

function builtForAnother(file: string, what: string) {
  return new StartFault(`The web was built for another version (${file}: ${what}): npm run build`)
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  // An HTML parser would turn a bare carriage return into a line feed.
  '\r': '&#13;',
}

/** Escapes any text for HTML, in an element or between double quotes. */
function escapeHtml(text: string): string {
  return /[&<>"'\r]/.test(text) ? text.replace(/[&<>"'\r]/g, (sign) => entities[sign] ?? '') : text
}
