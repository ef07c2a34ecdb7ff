import { fieldNote } from '../../../shared/contract/field-notes.ts'
import { type JsonSchema, type OneType, type SchemaPlace, withoutNull } from './json-schema.ts'

/** A field of a request or an answer in the API reference. */
export interface SchemaField {
  /**
   * The name of the field after the names of the objects and lists around it. Example:
   * `parts[].size`.
   */
  path: string
  /** The type in words. Examples: 'integer', 'list of strings', 'date or null'. */
  type: string
  isRequired: boolean
  /** What else a valid value must meet. Example: '1 to 100'. null if the type says everything. */
  bounds: string | null
  /** What the field means. null if there is no note about it. */
  note: string | null
}

/**
 * Lists the fields of a schema. The fields of an inner object follow the object. A list has the
 * fields of its entries. A schema without any object has no fields.
 */
export function fieldsOf(schema: JsonSchema, place: SchemaPlace, around = ''): SchemaField[] {
  const { choices } = withoutNull(schema)
  return choices.flatMap((choice) => {
    if (choice.items) return fieldsOf(choice.items, place, `${around}[]`)
    if (typeof choice.additionalProperties === 'object') {
      return fieldsOf(choice.additionalProperties, place, around === '' ? '*' : `${around}.*`)
    }
    return Object.entries(choice.properties ?? {}).flatMap(([name, inner]) => {
      const path = around === '' ? name : `${around}.${name}`
      const field: SchemaField = {
        path,
        type: typeText(inner),
        isRequired: choice.required?.includes(name) === true,
        bounds: boundsText(inner),
        note: fieldNote(place, name)?.note ?? null,
      }
      return [field, ...fieldsOf(inner, place, path)]
    })
  })
}

const formats: Readonly<Record<string, string>> = {
  'date-time': 'date',
  date: 'day',
  uuid: 'UUID',
  email: 'email address',
  uri: 'URL',
}

/** Returns the type of a schema in words. */
export function typeText(schema: JsonSchema): string {
  const { choices, isNullable } = withoutNull(schema)
  const texts = [...new Set(choices.map(oneType))]
  return [...texts, ...(isNullable ? ['null'] : [])].join(' or ')
}

function oneType(schema: OneType): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ')
  if (schema.format && formats[schema.format]) return formats[schema.format] ?? 'string'
  if (schema.type === 'array')
    return `list of ${schema.items ? plural(typeText(schema.items)) : 'values'}`
  const { additionalProperties: values } = schema
  if (schema.type === 'object' && typeof values === 'object' && !schema.properties) {
    return Object.keys(values).length === 0 ? 'object' : `object of ${plural(typeText(values))}`
  }
  return schema.type ?? 'any value'
}

function plural(type: string): string {
  return /^[\w ]+$/.test(type) ? `${type}s` : `(${type})`
}

/**
 * Tells whether a bound is worth mentioning. A bound that only limits numbers to safe integers is
 * not.
 */
function isTelling(bound: number | undefined): bound is number {
  return bound !== undefined && Math.abs(bound) < Number.MAX_SAFE_INTEGER
}

function boundsText(schema: JsonSchema): string | null {
  const { choices } = withoutNull(schema)
  const [first] = choices
  const parts = [
    range(first?.minimum, first?.maximum, ''),
    range(first?.minLength, first?.maxLength, ' characters'),
    range(first?.minItems, first?.maxItems, ' entries'),
    schema.default === undefined ? null : `default ${JSON.stringify(schema.default)}`,
  ].filter((part) => part !== null)
  return parts.length === 0 ? null : parts.join(', ')
}

function range(least: number | undefined, most: number | undefined, unit: string): string | null {
  const [low, high] = [isTelling(least), isTelling(most)]
  if (low && high) return least === most ? `${least}${unit}` : `${least} to ${most}${unit}`
  if (high) return `at most ${most}${unit}`
  return low && Number(least) > 0 ? `at least ${least}${unit}` : null
}
