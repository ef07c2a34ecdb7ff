import { request as requestByHttp } from 'node:http'
import { request as requestByHttps } from 'node:https'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import {
  parseErrorCode,
  parseWholeNumber,
  responseStallFactor,
  type Send,
  type StorageResponse,
} from '../web/uploads/transfer/storage-request.ts'

/** Sends with node:http, because `fetch` doesn't report upload progress. */
export const sendByHttp: Send = ({ method, url, headers, body, signal, onSent, ...limits }) => {
  const { timeoutMs, stallMs } = limits
  return new Promise((resolve, reject) => {
    signal.throwIfAborted()
    const request = (url.startsWith('https:') ? requestByHttps : requestByHttp)(url, {
      method,
      headers: { ...headers, ...(body && { 'Content-Length': body.size }) },
    })
    let stallTimer: NodeJS.Timeout | undefined
    let isFinished = false
    const finish = (response: StorageResponse) => {
      isFinished = true
      clearTimeout(stallTimer)
      clearTimeout(timer)
      signal.removeEventListener('abort', abort)
      // A request that is complete leaves its connection to the next one.
      if (response.kind !== 'response' || !request.writableFinished) request.destroy()
      resolve(response)
    }
    const abort = () => {
      reject(signal.reason)
      finish({ kind: 'network' })
    }
    const restartStallTimer = (factor: number) => {
      clearTimeout(stallTimer)
      // The response may arrive before the end of the body has been handled here.
      if (isFinished || stallMs === undefined || body === null) return
      stallTimer = setTimeout(() => finish({ kind: 'stalled' }), stallMs * factor)
    }
    const timer = setTimeout(() => finish({ kind: 'timeout' }), timeoutMs)
    signal.addEventListener('abort', abort)

    async function* readBody() {
      let sent = 0
      for await (const chunk of body?.stream() ?? []) {
        yield chunk
        sent += chunk.length
        restartStallTimer(1)
        onSent?.(sent)
      }
      restartStallTimer(responseStallFactor)
    }
    request.on('error', () => finish({ kind: 'network' }))
    request.on('response', async (response) => {
      const responseBody = await text(response).catch(() => null)
      if (responseBody === null) return finish({ kind: 'network' })
      const { statusCode: status = 0, headers } = response
      const seconds = parseWholeNumber(headers['retry-after'])
      const code = parseErrorCode(responseBody) ?? String(headers['x-error-code'] ?? '')
      finish({
        kind: 'response',
        status,
        code: status >= 400 && code !== '' ? code : null,
        uploadOffset: parseWholeNumber(headers['upload-offset']?.toString()),
        retryAfterMs: seconds === null ? null : seconds * 1000,
      })
    })
    restartStallTimer(1)
    // A file that can't be read ends the request like a lost connection.
    pipeline(readBody, request).catch(() => request.destroy(new Error('The body has failed.')))
  })
}
