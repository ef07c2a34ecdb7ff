import { eq, sql } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makePerson } from '../../../tests/support/make.ts'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'
import { users } from '../db/schema.ts'
import { logSerializers } from './log.ts'
import { redactedMessages } from './redact.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.close())

async function faultOf(query: PromiseLike<unknown>): Promise<unknown> {
  return Promise.resolve(query).then(
    () => expect.fail('The query did not fail.'),
    (error: unknown) => error,
  )
}

/** Returns what the log writes about an error. */
function told(error: unknown) {
  return JSON.parse(JSON.stringify(logSerializers.err(error as Error)))
}

describe('what the log says of a failed query', () => {
  it('names the statement, the constraint and the code, and not the value that is there twice', async () => {
    const [ada, bob] = [await makePerson(app), await makePerson(app)]
    const { db } = app.deps
    const error = await faultOf(
      db.update(users).set({ email: ada.email }).where(eq(users.id, bob.id)),
    )
    expect(JSON.stringify(error)).toContain(ada.email)
    const said = told(error)
    expect(JSON.stringify(said)).not.toContain(ada.email)
    expect(said.message).toMatch(/^Failed query: update "users" .*: duplicate key value violates/s)
    expect(said.stack).toMatch(/^Error: Failed query: update "users"[^\n]*\n +at /)
    expect(said.stack).toMatch(/caused by: error: duplicate key [^\n]*\n +at /)
  })

  it.each([
    sql`select ${'confidential'}::int`,
    sql`select ${'{"confidential'}::jsonb`,
    sql`select ${'confidential'}::timestamptz`,
    sql`insert into settings (key, value, description) values (${'confidential'}, null, ${'confidential'})`,
  ])('says no value that is refused: %#', async (statement) => {
    const error = await faultOf(app.deps.db.execute(statement))
    const wrapped = new Error('the use case failed', { cause: error })
    for (const said of [told(error), told(wrapped)]) {
      expect(JSON.stringify(said)).not.toContain('confidential')
      expect(said.message).toContain('Failed query: ')
    }
  })

  it('says no value to a query without drizzle', async () => {
    const ada = await makePerson(app)
    const copy = app.pool.query(
      `insert into users select 'x', name, email from users where email = $1`,
      [ada.email],
    )
    expect(JSON.stringify(told(await faultOf(copy)))).not.toContain(ada.email)
  })

  it('is whole for every other error', () => {
    const error = Object.assign(new Error('no room "here"'), { code: 'ENOSPC', detail: 'the disk' })
    expect(told(error)).toMatchObject({
      type: 'Error',
      message: 'no room "here"',
      code: 'ENOSPC',
      detail: 'the disk',
      stack: error.stack,
    })
    expect(logSerializers.err('a text' as unknown as Error)).toBe('a text')
  })
})

describe('what a command says of its failure', () => {
  it('names the causes: what the bucket said, and why it could not be reached', () => {
    const denied = Object.assign(new Error('Access denied.'), { name: 'AccessDenied' })
    const refused = new AggregateError([], '')
    Object.assign(refused, { code: 'ECONNREFUSED' })
    const story = (cause: unknown) => redactedMessages(new Error('The storage is away.', { cause }))
    expect(story(denied)).toBe('The storage is away., caused by AccessDenied: Access denied.')
    expect(story(refused)).toBe('The storage is away., caused by AggregateError: ECONNREFUSED')
    expect(story(undefined)).toBe('The storage is away.')
  })

  it('says no value of a query and no signature, and ends where an error is its own cause', async () => {
    const query = sql`select ${'confidential'}::int`
    const wrapped = new Error('failed', { cause: await faultOf(app.deps.db.execute(query)) })
    expect(redactedMessages(wrapped)).toMatch(/^failed, caused by .*Failed query: select \$1/)
    const url = 'https://s3.example.org/b/k?X-Amz-Signature=confidential&a=b'
    const loop = new Error(`no answer from ${url} in time`)
    loop.cause = loop
    const story = redactedMessages(loop)
    expect(story).toContain('no answer from https://s3.example.org/b/k?… in time')
    expect(`${story} ${redactedMessages(wrapped)}`).not.toContain('confidential')
  })
})
