import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { jsonSchemaOf } from './json-schema.ts'
import { sampleOf } from './sample.ts'

describe('an example', () => {
  it('of a request has what is required, by names where they are known', () => {
    const schema = z.object({
      fileName: z.string(),
      mode: z.enum(['fast', 'slow']),
      count: z.int().optional(),
    })
    expect(sampleOf(jsonSchemaOf(schema, 'request'), 'request')).toEqual({
      fileName: 'report.pdf',
      mode: 'fast',
    })
  })

  it('of a request in which nothing is required has what is known', () => {
    const schema = z.object({ firstName: z.string().optional(), odd: z.string().optional() })
    expect(sampleOf(jsonSchemaOf(schema, 'request'), 'request')).toEqual({ firstName: 'Ada' })
  })

  it('of an answer has every field', () => {
    const schema = z.object({ at: z.iso.datetime(), list: z.array(z.string()), odd: z.boolean() })
    expect(sampleOf(jsonSchemaOf(schema, 'answer'), 'answer')).toEqual({
      at: '2025-07-12T10:02:00.000Z',
      list: ['…'],
      odd: true,
    })
  })

  it('of a number never passes the bound of its call', () => {
    const upTo = (most: number) =>
      jsonSchemaOf(z.object({ fileSize: z.int().max(most) }), 'request')
    expect(sampleOf(upTo(1000), 'request')).toEqual({ fileSize: 1000 })
    const { fileSize } = sampleOf(upTo(2 ** 40), 'request') as { fileSize: number }
    expect(fileSize).toBeLessThan(2 ** 40)
  })

  it.each([
    [z.string().nullable(), '…'],
    [z.null(), null],
    [z.literal('ok'), 'ok'],
    [z.string().default('-date'), '-date'],
    [z.uuid(), '3f6c1a52-8d0e-4b7a-9c15-2e8f4d6b7a90'],
    [z.boolean(), true],
    [z.unknown(), null],
  ])('of a value without a name: %#', (schema, sample) => {
    expect(sampleOf(jsonSchemaOf(schema, 'answer'), 'answer')).toEqual(sample)
  })
})
