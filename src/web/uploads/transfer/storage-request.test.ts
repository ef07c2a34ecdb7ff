import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { toInterruption } from '../interruption.ts'
import {
  parseErrorCode,
  parseWholeNumber,
  type StorageRequest,
  type StorageResponse,
  sendByXhr,
} from './storage-request.ts'

/** A fake XMLHttpRequest with the methods used here. Tests control the network. */
class Xhr extends EventTarget {
  static last: Xhr
  readonly upload = new EventTarget()
  readonly sentHeaders = new Headers()
  timeout = 0
  status = 0
  responseText = ''
  headers = ''
  aborted = false
  constructor() {
    super()
    Xhr.last = this
  }
  open() {}
  send() {}
  setRequestHeader(name: string, value: string) {
    this.sentHeaders.set(name, value)
  }
  getAllResponseHeaders() {
    return this.headers
  }
  abort() {
    this.aborted = true
    this.dispatchEvent(new Event('abort'))
  }
  sends(loaded: number) {
    this.upload.dispatchEvent(Object.assign(new Event('progress'), { loaded }))
  }
  respond(status: number, headers = '', text = '') {
    Object.assign(this, { status, headers, responseText: text })
    this.dispatchEvent(new Event('load'))
  }
}

let response: StorageResponse | 'open'
let sentCounts: number[]

function startRequest(options: Partial<StorageRequest> = {}) {
  response = 'open'
  sentCounts = []
  const responsePromise = sendByXhr({
    method: 'PUT',
    url: 'https://storage.example/part',
    headers: { 'Content-Type': 'text/plain' },
    body: new Blob(['bytes']),
    timeoutMs: 600_000,
    stallMs: 30_000,
    signal: new AbortController().signal,
    onSent: (bytes) => sentCounts.push(bytes),
    ...options,
  })
  responsePromise.then(
    (outcome) => {
      response = outcome
    },
    () => undefined,
  )
  return responsePromise
}

beforeEach(() => {
  vi.useFakeTimers()
  vi.stubGlobal('XMLHttpRequest', Xhr)
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

describe('the result', () => {
  test('has the integer headers and the error code of a response', async () => {
    const responsePromise = startRequest()
    const headers = 'upload-offset: 700\r\nretry-after: 20\r\n'
    Xhr.last.respond(503, headers, '{"message":"…","code":"UNAVAILABLE"}')
    expect(await responsePromise).toEqual({
      kind: 'response',
      status: 503,
      code: 'UNAVAILABLE',
      uploadOffset: 700,
      retryAfterMs: 20_000,
    })
  })

  test('of a HEAD request has its error code from a header, because it has no body', async () => {
    const responsePromise = startRequest({ method: 'HEAD', body: null })
    Xhr.last.respond(503, 'retry-after: 60\r\nx-error-code: DISK_FULL\r\n')
    const outcome = await responsePromise
    expect(outcome).toMatchObject({ status: 503, code: 'DISK_FULL', retryAfterMs: 60_000 })
    expect(toInterruption(outcome)).toBe('disk-full')
  })

  test('of a success has no code, and absent headers are null', async () => {
    const responsePromise = startRequest()
    Xhr.last.respond(200, '', '{"code":"X"}')
    expect(await responsePromise).toEqual({
      kind: 'response',
      status: 200,
      code: null,
      uploadOffset: null,
      retryAfterMs: null,
    })
  })

  test.each([
    ['error', 'network'],
    ['timeout', 'timeout'],
  ])('without a response: %s', async (event, kind) => {
    const responsePromise = startRequest()
    Xhr.last.dispatchEvent(new Event(event))
    expect(await responsePromise).toEqual({ kind })
    expect(Xhr.last.timeout).toBe(600_000)
  })
})

describe('a stall', () => {
  test('is detected when no bytes are sent for the given time', async () => {
    const responsePromise = startRequest()
    vi.advanceTimersByTime(29_999)
    expect(Xhr.last.aborted).toBe(false)
    vi.advanceTimersByTime(1)
    expect(Xhr.last.aborted).toBe(true)
    expect(await responsePromise).toEqual({ kind: 'stalled' })
  })

  test('is not detected while bytes are sent, however slowly', async () => {
    const responsePromise = startRequest()
    for (let bytes = 1; bytes <= 5; bytes += 1) {
      vi.advanceTimersByTime(29_000)
      Xhr.last.sends(bytes)
    }
    Xhr.last.respond(200)
    expect(await responsePromise).toMatchObject({ kind: 'response', status: 200 })
    expect(sentCounts).toEqual([1, 2, 3, 4, 5])
  })

  test('is detected only after four times as long once all bytes are sent', async () => {
    const responsePromise = startRequest()
    Xhr.last.sends(5)
    Xhr.last.upload.dispatchEvent(new Event('load'))
    vi.advanceTimersByTime(119_999)
    expect(Xhr.last.aborted).toBe(false)
    vi.advanceTimersByTime(1)
    expect(await responsePromise).toEqual({ kind: 'stalled' })
  })

  test('is not detected for a HEAD request or without a stall timeout', () => {
    void startRequest({ method: 'HEAD', body: null })
    vi.advanceTimersByTime(600_000)
    void startRequest({ stallMs: undefined })
    Xhr.last.upload.dispatchEvent(new Event('load'))
    vi.advanceTimersByTime(600_000)
    expect(response).toBe('open')
  })

  test('leaves no timer behind after a response', () => {
    void startRequest()
    Xhr.last.respond(200)
    expect(vi.getTimerCount()).toBe(0)
  })
})

describe('cancelling', () => {
  test('ends the request with the reason and leaves no timer', async () => {
    const controller = new AbortController()
    const reason = new Error('Cancelled by user')
    const responsePromise = startRequest({ signal: controller.signal })
    controller.abort(reason)
    await expect(responsePromise).rejects.toBe(reason)
    expect(Xhr.last.aborted).toBe(true)
    expect(vi.getTimerCount()).toBe(0)
  })

  test('beforehand sends nothing', async () => {
    const previousXhr = Xhr.last
    const reason = new Error('over')
    await expect(startRequest({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
    expect(Xhr.last).toBe(previousXhr)
  })
})

test.each([
  ['0', 0],
  [' 42 ', 42],
  ['-1', null],
  ['1.5', null],
  ['Wed, 21 Oct 2026 07:28:00 GMT', null],
  ['9'.repeat(30), null],
  ['', null],
  [null, null],
])('the header value %s is %s', (value, expected) => {
  expect(parseWholeNumber(value)).toBe(expected)
})

test.each([
  ['{"message":"…","code":"CHECKSUM_MISMATCH"}', 'CHECKSUM_MISMATCH'],
  ['<?xml version="1.0"?><Error><Code>BadDigest</Code><Message>x</Message></Error>', 'BadDigest'],
  ['<html>Bad gateway</html>', null],
  ['', null],
])('the code in %s is %s', (body, code) => {
  expect(parseErrorCode(body)).toBe(code)
})
