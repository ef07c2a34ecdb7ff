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

async function getError(query: PromiseLike<unknown>): Promise<unknown> {
  return Promise.resolve(query).then(
    () => expect.fail('The query did not fail.'),
    (error: unknown) => error,
  )
}

function logEntry(error: unknown) {
  return JSON.parse(JSON.stringify(logSerializers.err(error as Error)))
}

describe('a logged query error', () => {
  it('includes the statement, the constraint and the code, but not the duplicate value', async () => {
    const [ada, bob] = [await makePerson(app), await makePerson(app)]
    const { db } = app.deps
    const error = await getError(
      db.update(users).set({ email: ada.email }).where(eq(users.id, bob.id)),
    )
    expect(JSON.stringify(error)).toContain(ada.email)
    const entry = logEntry(error)
    expect(JSON.stringify(entry)).not.toContain(ada.email)
    expect(entry.message).toMatch(/^Failed query: update "users" .*: duplicate key value violates/s)
    expect(entry.stack).toMatch(/^Error: Failed query: update "users"[^\n]*\n +at /)
    expect(entry.stack).toMatch(/caused by: error: duplicate key [^\n]*\n +at /)
  })

  it.each([
    sql`select ${'confidential'}::int`,
    sql`select ${'{"confidential'}::jsonb`,
    sql`select ${'confidential'}::timestamptz`,
    sql`insert into settings (key, value, description) values (${'confidential'}, null, ${'confidential'})`,
  ])('omits the invalid value: %#', async (statement) => {
    const error = await getError(app.deps.db.execute(statement))
    const wrappingError = new Error('the use case failed', { cause: error })
    for (const entry of [logEntry(error), logEntry(wrappingError)]) {
      expect(JSON.stringify(entry)).not.toContain('confidential')
      expect(entry.message).toContain('Failed query: ')
    }
  })

  it('omits the values of a query without drizzle', async () => {
    const ada = await makePerson(app)
    const copyPromise = app.pool.query(
      `insert into users select 'x', name, email from users where email = $1`,
      [ada.email],
    )
    expect(JSON.stringify(logEntry(await getError(copyPromise)))).not.toContain(ada.email)
  })

  it('keeps every other error unchanged', () => {
    const error = Object.assign(new Error('no room "here"'), { code: 'ENOSPC', detail: 'the disk' })
    expect(logEntry(error)).toMatchObject({
      type: 'Error',
      message: 'no room "here"',
      code: 'ENOSPC',
      detail: 'the disk',
      stack: error.stack,
    })
    expect(logSerializers.err('a text' as unknown as Error)).toBe('a text')
  })
})

describe('the error message of a command', () => {
  it('includes the causes', () => {
    const deniedError = Object.assign(new Error('Access denied.'), { name: 'AccessDenied' })
    const refusedError = new AggregateError([], '')
    Object.assign(refusedError, { code: 'ECONNREFUSED' })
    const getMessagesWithCause = (cause: unknown) =>
      redactedMessages(new Error('The storage is away.', { cause }))
    expect(getMessagesWithCause(deniedError)).toBe(
      'The storage is away., caused by AccessDenied: Access denied.',
    )
    expect(getMessagesWithCause(refusedError)).toBe(
      'The storage is away., caused by AggregateError: ECONNREFUSED',
    )
    expect(getMessagesWithCause(undefined)).toBe('The storage is away.')
  })

  it('omits query values and signatures, and stops at a circular cause', async () => {
    const query = sql`select ${'confidential'}::int`
    const wrappingError = new Error('failed', { cause: await getError(app.deps.db.execute(query)) })
    expect(redactedMessages(wrappingError)).toMatch(/^failed, caused by .*Failed query: select \$1/)
    const url = 'https://s3.example.org/b/k?X-Amz-Signature=confidential&a=b'
    const circularError = new Error(`no answer from ${url} in time`)
    circularError.cause = circularError
    const messagesText = redactedMessages(circularError)
    expect(messagesText).toContain('no answer from https://s3.example.org/b/k?… in time')
    expect(`${messagesText} ${redactedMessages(wrappingError)}`).not.toContain('confidential')
  })
})
