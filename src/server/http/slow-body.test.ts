import { EventEmitter } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { cutSlowBody } from './slow-body.ts'

const bodyMs = 1000

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** Makes a request that has only those properties which the limit reads. */
function requestWith(headers: Record<string, string>) {
  const facts = { headers, complete: false, readableLength: 0, readableHighWaterMark: 100 }
  const destroy = vi.fn()
  const socket = new EventEmitter()
  const request = Object.assign(new EventEmitter(), facts, { destroy, socket })
  cutSlowBody(request as unknown as IncomingMessage, bodyMs)
  return request
}

it.each<Record<string, string>>([{ 'content-length': '9' }, { 'transfer-encoding': 'chunked' }])(
  'cuts %o when it does not come, and not before its time',
  (headers) => {
    const request = requestWith(headers)
    vi.advanceTimersByTime(bodyMs - 1)
    expect(request.destroy).not.toHaveBeenCalled()
    vi.advanceTimersByTime(1)
    expect(request.destroy).toHaveBeenCalledOnce()
  },
)

it('leaves who has sent everything', () => {
  const request = requestWith({ 'content-length': '9' })
  request.complete = true
  vi.advanceTimersByTime(10 * bodyMs)
  expect(request.destroy).not.toHaveBeenCalled()
})

it('leaves who waits for the server to read, and cuts who does not go on then', () => {
  const request = requestWith({ 'content-length': '900' })
  request.readableLength = 100
  vi.advanceTimersByTime(5 * bodyMs)
  expect(request.destroy).not.toHaveBeenCalled()
  request.readableLength = 0
  vi.advanceTimersByTime(bodyMs)
  expect(request.destroy).toHaveBeenCalledOnce()
})

it('watches no request without a body, and none that is closed or whose client has left', () => {
  requestWith({})
  requestWith({ 'content-length': '0' })
  requestWith({ 'content-length': '9' }).emit('close')
  requestWith({ 'content-length': '9' }).socket.emit('close')
  expect(vi.getTimerCount()).toBe(0)
})

it('leaves nothing on a connection whose request has closed', () => {
  const request = requestWith({ 'content-length': '9' })
  request.emit('close')
  expect(request.socket.listenerCount('close')).toBe(0)
})
