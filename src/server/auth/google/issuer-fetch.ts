import type { CustomFetch } from 'openid-client'
import { isSafeAddress } from '../../google-settings.ts'

/** The largest answer that is accepted. Google's largest one, with its keys, has some 2 KB. */
const maxAnswerBytes = 256 * 1024

/**
 * Makes the function by which the server sends requests to the issuer. The issuer itself tells the
 * server which addresses to call. So each address is checked, because an issuer must not make the
 * server call arbitrary machines. Redirects are not followed, and an answer may not be larger than
 * `maxAnswerBytes`.
 * @param issuer an issuer on this machine may name addresses of this machine over http.
 */
export function issuerFetch(issuer: URL): CustomFetch {
  return async (address, options) => {
    const url = new URL(address)
    if (!isSafeAddress(url, issuer)) throw new TypeError(`${url.origin} is no safe address`)
    const response = await fetch(url, { ...options, redirect: 'manual' } as RequestInit)
    const body = await readAll(response)
    return new Response(body, { status: response.status, headers: response.headers })
  }
}

/**
 * Reads the body of a response.
 * @throws {TypeError} when it is too large; the rest is not received.
 */
async function readAll(response: Response): Promise<Uint8Array<ArrayBuffer> | null> {
  if (response.body === null) return null
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body) {
    size += chunk.length
    // Leaving the loop cancels the body, which closes the connection.
    if (size > maxAnswerBytes)
      throw new TypeError(`the answer is larger than ${maxAnswerBytes} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
