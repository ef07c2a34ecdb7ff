import { type ZodType, z } from 'zod'

/** The parts of JSON Schema that can describe the contract's schemas. */
export interface JsonSchema {
  type?: string | readonly string[]
  format?: string
  enum?: readonly unknown[]
  const?: unknown
  default?: unknown
  anyOf?: readonly JsonSchema[]
  properties?: Readonly<Record<string, JsonSchema>>
  required?: readonly string[]
  items?: JsonSchema
  additionalProperties?: boolean | JsonSchema
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
}

/** Whether a schema describes a request or an answer. */
export type SchemaPlace = 'request' | 'answer'

/**
 * Converts a schema of the contract to JSON Schema. Some schemas convert values. Then the result
 * describes the value that a client sends in a request or gets in an answer.
 */
export function jsonSchemaOf(schema: ZodType, place: SchemaPlace): JsonSchema {
  const io = place === 'request' ? 'input' : 'output'
  return z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as JsonSchema
}

/** A schema that has at most one type. */
export type OneType = JsonSchema & { type?: string }

/** Returns the alternatives of a schema apart from null, and whether null is one of them. */
export function withoutNull(schema: JsonSchema): { choices: OneType[]; isNullable: boolean } {
  const all = (schema.anyOf ?? [schema]).flatMap(({ type, ...rest }): OneType[] =>
    [type ?? []].flat().length === 0
      ? [rest]
      : [type ?? []].flat().map((one) => ({ ...rest, type: one })),
  )
  const choices = all.filter(({ type }) => type !== 'null')
  return { choices, isNullable: choices.length < all.length }
}
