import { type SQL, sql } from 'drizzle-orm'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'
import { shortGramsOf, shortGramsSql } from './short-grams-sql.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.close())

async function gramsIn(texts: readonly string[]): Promise<Set<string>[]> {
  const value: SQL = sql`value`
  const { rows } = await app.deps.db.execute<{ grams: string[] }>(
    sql`select ${shortGramsSql(value)} as grams
      from jsonb_array_elements_text(${JSON.stringify(texts)}::jsonb) with ordinality as t (value, at)
      order by at`,
  )
  return rows.map(({ grams }) => new Set(grams))
}

describe('the short pieces of a text', () => {
  it.each([
    ['', []],
    ['a', ['a']],
    ['ab', ['ab']],
    ['abc', ['ab', 'bc']],
    ['aaaa', ['aa']],
    ['@ö%', ['@ö', 'ö%']],
    ['a😀', ['a😀']],
  ])('of %j are %j', (text, grams) => expect(shortGramsOf(text)).toEqual(grams))

  it('are in the array of exactly the texts that contain this text', async () => {
    const character = fc.constantFrom(...'ab.@ -%_\\ö😀\n')
    const texts = fc.sample(fc.string({ unit: character, maxLength: 12 }), {
      numRuns: 300,
      seed: 7,
    })
    const arrays = await gramsIn(texts)
    const searches = texts.flatMap((text) => [text.slice(0, 1), text.slice(0, 2)])
    const wrong: [string, string][] = []
    for (const search of new Set(searches.filter((one) => one !== '' && one.isWellFormed()))) {
      const grams = shortGramsOf(search)
      for (const [at, text] of texts.entries()) {
        const isFound = grams.every((gram) => arrays[at]?.has(gram))
        if (isFound !== text.includes(search)) wrong.push([search, text])
      }
    }
    expect(wrong).toEqual([])
  })
})
