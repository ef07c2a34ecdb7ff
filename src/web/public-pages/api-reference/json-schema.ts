import { type ZodType, z } from 'zod'

/** The parts of JSON Schema that the contract's schemas become. */
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

/** Where a schema describes something: in what a client sends, or in what it gets. */
export type Place = 'request' | 'answer'

/**
 * Returns a schema of the contract as JSON Schema. A schema that changes values describes what is
 * sent for a request, and what arrives for an answer.
 */
export function jsonSchemaOf(schema: ZodType, place: Place): JsonSchema {
  const io = place === 'request' ? 'input' : 'output'
  return z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as JsonSchema
}

/** A schema of one type. */
export type OneType = JsonSchema & { type?: string }

/** Returns the choices of a schema without null, and whether null is one of them. */
export function withoutNull(schema: JsonSchema): { choices: OneType[]; isNullable: boolean } {
  const all = (schema.anyOf ?? [schema]).flatMap(({ type, ...rest }): OneType[] =>
    [type ?? []].flat().length === 0
      ? [rest]
      : [type ?? []].flat().map((one) => ({ ...rest, type: one })),
  )
  const choices = all.filter(({ type }) => type !== 'null')
  return { choices, isNullable: choices.length < all.length }
}
