import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { jsonSchemaOf } from './json-schema.ts'
import { fieldsOf, typeText } from './schema-fields.ts'

function typeOf(schema: z.ZodType) {
  return typeText(jsonSchemaOf(schema, 'answer'))
}

describe('the type of a field, in words', () => {
  it.each([
    [z.string(), 'string'],
    [z.int(), 'integer'],
    [z.boolean().nullable(), 'boolean or null'],
    [z.union([z.string(), z.number()]), 'string or number'],
    [z.enum(['crc32', 'md5']), '"crc32" | "md5"'],
    [z.literal('ok'), '"ok"'],
    [z.iso.datetime(), 'date'],
    [z.uuid().nullable(), 'UUID or null'],
    [z.array(z.string()), 'list of strings'],
    [z.array(z.enum(['a', 'b'])), 'list of ("a" | "b")'],
    [z.record(z.string(), z.string()), 'object of strings'],
    [z.record(z.string(), z.unknown()), 'object'],
    [z.object({ a: z.string() }), 'object'],
    [z.unknown(), 'any value'],
  ])('%#', (schema, text) => {
    expect(typeOf(schema)).toBe(text)
  })
})

describe('the fields of a schema', () => {
  const paths = (schema: z.ZodType) =>
    fieldsOf(jsonSchemaOf(schema, 'answer'), 'answer').map(({ path }) => path)

  it('stand after the object or list that holds them', () => {
    const inner = z.object({ day: z.string(), count: z.int() })
    expect(paths(z.object({ days: z.array(inner), user: inner.nullable() }))).toEqual([
      'days',
      'days[].day',
      'days[].count',
      'user',
      'user.day',
      'user.count',
    ])
    expect(paths(z.array(inner))).toEqual(['[].day', '[].count'])
    expect(paths(z.object({ limits: z.record(z.string(), inner) }))).toEqual([
      'limits',
      'limits.*.day',
      'limits.*.count',
    ])
    expect(paths(z.string())).toEqual([])
  })

  it('say what is required and within what bounds', () => {
    const schema = z.object({
      limit: z.coerce.number().int().min(1).max(100).default(50),
      fileName: z.string().min(1).max(1024),
      fileSize: z.int().nonnegative(),
      fileIds: z.array(z.string()).min(1).max(1000).optional(),
    })
    const fields = fieldsOf(jsonSchemaOf(schema, 'request'), 'request')
    expect(fields.map(({ path, isRequired, bounds }) => [path, isRequired, bounds])).toEqual([
      ['limit', false, '1 to 100, default 50'],
      ['fileName', true, '1 to 1024 characters'],
      ['fileSize', true, null],
      ['fileIds', false, '1 to 1000 entries'],
    ])
    expect(fields[1]?.note).toContain('The name of the file')
  })
})
