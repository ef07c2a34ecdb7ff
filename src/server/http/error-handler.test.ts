import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { makeClient, makePerson, putBytes, startUpload } from '../../../tests/support/make.ts'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'
import { requestUpload } from '../../../tests/support/upload-requests.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.close())

describe('an unexpected error', () => {
  it('is answered with a generic message and the request id, and logged in full', async () => {
    const person = await makePerson(app)
    await app.deps.db.execute('alter table files rename to files_away')
    const response = await person.fetch('/api/files')
    await app.deps.db.execute('alter table files_away rename to files')

    expect(response.status).toBe(500)
    const requestId = response.headers.get('x-request-id')
    expect(requestId).toMatch(/^\w{16}$/)
    const body = await response.text()
    expect(JSON.parse(body)).toEqual({
      code: 'INTERNAL',
      message: `Something went wrong on our side. Please mention request ${requestId}.`,
    })
    expect(body).not.toMatch(/relation|select|files/)
    const line = app.logLines.find((entry) => entry.requestId === requestId && entry.level === 50)
    expect(JSON.stringify(line)).toContain('relation')
    expect((await person.fetch('/api/files')).status).toBe(200)
  })
})

describe('a browser opening a page during a server error', () => {
  const openDuringOutage = async (path: string, accept: string, method = 'GET') => {
    await app.deps.db.execute('alter table files rename to files_away')
    const response = await makeClient(app).fetch(path, { method, headers: { accept } })
    await app.deps.db.execute('alter table files_away rename to files')
    return { response, text: await response.text() }
  }
  const browserAccept = 'text/html,application/xhtml+xml,*/*;q=0.8'

  it.each(['/s/abcdefghij', '/api/download/abcdefghij'])(
    'gets an error page for %s with a retry link',
    async (path) => {
      const { response, text } = await openDuringOutage(path, browserAccept)
      expect(response.status).toBe(500)
      expect(response.headers.get('content-type')).toContain('text/html')
      expect(response.headers.get('cache-control')).toBe('no-store')
      expect(text).toContain('This page cannot be shown right now')
      expect(text).toContain(
        `Something went wrong on our side. Please mention request ${response.headers.get('x-request-id')}.`,
      )
    },
  )

  it('gets HTML, while other clients get JSON', async () => {
    const { response, text } = await openDuringOutage('/s/abcdefghij', '*/*')
    expect(response.status).toBe(500)
    expect(JSON.parse(text)).toMatchObject({ code: 'INTERNAL' })
  })
})

describe('a full disk', () => {
  it('on the database server is answered with 503 and logged with its cause', async () => {
    const person = await makePerson(app)
    // From here on, inserts fail with the Postgres error for a full disk.
    await app.deps.db.execute(`
      create function raise_disk_full() returns trigger language plpgsql as $$
      begin raise exception 'could not extend file' using errcode = '53100'; end $$;
      create trigger no_space before insert on sessions
        for each row execute function raise_disk_full();
      create trigger no_space before insert on settings
        for each row execute function raise_disk_full();
      create trigger no_space before insert on uploads
        for each row execute function raise_disk_full();
      create trigger no_space before insert on users
        for each row execute function raise_disk_full()`)
    const { email, password } = person
    const name = { firstName: 'Ada', lastName: 'Lovelace' }
    const signupInput = { ...name, email: 'new@example.org', password, confirmPassword: password }
    const responses = [
      await makeClient(app).post('/api/auth/login', { email, password }),
      await makeClient(app).post('/api/auth/signup', signupInput),
      await requestUpload(person),
    ]
    for (const response of responses) {
      expect(response.status).toBe(503)
      expect(response.headers.get('retry-after')).toBe('60')
      expect(await response.json()).toEqual({
        code: 'DISK_FULL',
        message: 'The disk of this server is full. Please try again later.',
      })
    }
    for (const table of ['sessions', 'settings', 'uploads', 'users']) {
      await app.deps.db.execute(`drop trigger no_space on ${table}`)
    }
    expect((await person.fetch('/api/files')).status).toBe(200)
  })

  it('in the store is reported when an upload is confirmed', async () => {
    const person = await makePerson(app)
    const startedUpload = await startUpload(person, { size: 5 })
    await putBytes(startedUpload, new Uint8Array(5))
    const diskFullError = Object.assign(new Error('no space left on device'), { code: 'EDQUOT' })
    const seal = vi.spyOn(app.deps.stores.current, 'seal').mockRejectedValueOnce(diskFullError)
    const { cloudKey } = startedUpload
    const response = await person.post('/api/files/confirm-upload', { cloudKey })
    expect(seal).toHaveBeenCalledOnce()
    expect(response.status).toBe(503)
    expect(await response.json()).toMatchObject({ code: 'DISK_FULL' })
    expect((await person.post('/api/files/confirm-upload', { cloudKey })).status).toBe(200)
  })
})

describe('a body above the limit', () => {
  it.each([true, false])(
    'is refused with 413 (with Content-Length: %s)',
    async (hasContentLength) => {
      const text = JSON.stringify({ email: 'x'.repeat(100_000) })
      const body = hasContentLength ? text : new Blob([text]).stream()
      const response = await makeClient(app).fetch('/api/auth/login', {
        method: 'POST',
        body,
        // Node's `fetch` requires this option for streams.
        ...(!hasContentLength && { duplex: 'half' }),
      })
      expect(response.status).toBe(413)
      expect(await response.json()).toMatchObject({ code: 'BODY_TOO_LARGE' })
    },
  )
})

describe('GET /api/ready', () => {
  it('is 200 if database and storage respond; /api/health checks neither', async () => {
    for (const path of ['/api/ready', '/api/health']) {
      const response = await makeClient(app).fetch(path)
      expect(response.status).toBe(200)
      expect(await response.json()).toEqual({ status: 'ok' })
    }
  })

  it('shares one check between parallel calls', async () => {
    const check = vi.spyOn(app.deps.stores.current, 'check')
    const requestReady = () => makeClient(app).fetch('/api/ready')
    const responses = await Promise.all(Array.from({ length: 30 }, requestReady))
    expect(responses.map(({ status }) => status)).toEqual(Array(30).fill(200))
    const checkCount = check.mock.calls.length
    expect(checkCount).toBeLessThan(30)
    await requestReady()
    expect(check).toHaveBeenCalledTimes(checkCount + 1)
    check.mockRestore()
  })
})

describe('every response', () => {
  it.each([
    ['/api/health', 200],
    ['/api/auth/user', 401],
    ['/api/nothing', 404],
    ['/api/openapi.json', 200],
    ['/api/docs', 200],
    ['/api/login', 302],
    ['/', 200],
    ['/no/such/page', 404],
  ])('disables MIME sniffing: %s', async (path, status) => {
    const response = await makeClient(app).fetch(path)
    expect(response.status).toBe(status)
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
  })
})

describe('the log', () => {
  it.each([
    ['/api/files?cursor=confidential', 401],
    ['/reset-password?token=confidential', 200],
  ])('has one line per request without query or secrets: %s', async (path, status) => {
    const lineCountBefore = app.logLines.length
    const response = await makeClient(app).fetch(path)
    const lines = app.logLines
      .slice(lineCountBefore)
      .filter(({ requestId }) => requestId === response.headers.get('x-request-id'))
    expect(lines).toHaveLength(1)
    expect(lines[0]).toMatchObject({ method: 'GET', path: path.split('?', 1)[0], status })
    expect(JSON.stringify(app.logLines)).not.toContain('confidential')
  })
})
