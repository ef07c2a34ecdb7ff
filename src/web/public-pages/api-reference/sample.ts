import { fieldNote } from '../../../shared/contract/field-notes.ts'
import { type JsonSchema, type SchemaPlace, withoutNull } from './json-schema.ts'

const byFormat: Readonly<Record<string, unknown>> = {
  'date-time': '2025-07-12T10:02:00.000Z',
  date: '2025-07-12',
  uuid: '3f6c1a52-8d0e-4b7a-9c15-2e8f4d6b7a90',
  email: 'ada@example.org',
  uri: 'https://example.org',
}

const byType: Readonly<Record<string, unknown>> = {
  string: '…',
  integer: 1,
  number: 1,
  boolean: true,
  object: {},
}

/**
 * Makes an example value for a schema. An example request has the required fields. If no field is
 * required, it has the fields whose notes contain an example.
 * @param name the name of the field whose value this is.
 */
export function sampleOf(schema: JsonSchema, place: SchemaPlace, name?: string): unknown {
  const known = name === undefined ? undefined : fieldNote(place, name)?.example
  if (known !== undefined) return withinBounds(known, schema)
  if (schema.default !== undefined) return schema.default
  const [choice] = withoutNull(schema).choices
  if (choice === undefined) return null
  if (choice.const !== undefined) return choice.const
  if (choice.enum) return choice.enum[0]
  if (choice.items) return [sampleOf(choice.items, place)]
  if (choice.properties) return sampleOfObject(choice, place)
  if (choice.format && byFormat[choice.format]) return byFormat[choice.format]
  return byType[choice.type ?? ''] ?? null
}

/** Lowers an example number if it is higher than this call allows. */
function withinBounds(known: unknown, { maximum }: JsonSchema): unknown {
  return typeof known === 'number' && maximum !== undefined ? Math.min(known, maximum) : known
}

function sampleOfObject({ properties = {}, required = [] }: JsonSchema, place: SchemaPlace) {
  const isShown = (name: string) =>
    place === 'answer' ||
    (required.length > 0 ? required.includes(name) : fieldNote(place, name)?.example !== undefined)
  return Object.fromEntries(
    Object.entries(properties)
      .filter(([name]) => isShown(name))
      .map(([name, inner]) => [name, sampleOf(inner, place, name)]),
  )
}
