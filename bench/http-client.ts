import { Agent, request } from 'node:http'

export interface HttpResponse {
  status: number
  headers: NodeJS.Dict<string | string[]>
  body: Buffer
}

interface RequestOptions {
  method?: string
  headers?: Record<string, string>
  body?: string | Buffer
}

const requestTimeoutMs = 30_000

/** A minimal HTTP client with at most `maxConnections` open connections. */
export function makeHttpClient(maxConnections: number) {
  const agent = new Agent({ keepAlive: true, maxSockets: maxConnections })

  const send = (
    url: string,
    { method = 'GET', headers = {}, body }: RequestOptions = {},
  ): Promise<HttpResponse> =>
    new Promise((resolve, reject) => {
      const lengthHeader = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }
      const options = {
        agent,
        method,
        headers: { ...headers, ...lengthHeader },
        signal: AbortSignal.timeout(requestTimeoutMs),
      }
      const clientRequest = request(url, options, (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('error', reject)
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: Buffer.concat(chunks),
          }),
        )
      })
      clientRequest.on('error', reject)
      clientRequest.end(body)
    })

  /** Sends a request and throws unless the status is 2xx. */
  const expectOk = async (url: string, options?: RequestOptions): Promise<HttpResponse> => {
    const response = await send(url, options)
    if (response.status >= 200 && response.status < 300) return response
    throw new Error(`${options?.method ?? 'GET'} ${url}: ${response.status} ${response.body}`)
  }

  return { send, expectOk, close: () => agent.destroy() }
}

export type HttpClient = ReturnType<typeof makeHttpClient>
