import './loaded-toasts.ts'
import { type QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, render, renderHook } from '@testing-library/react'
import { createElement, Fragment, type ReactNode } from 'react'
import { vi } from 'vitest'
import type { ErrorCode } from '../../src/shared/contract/errors.ts'
import { signedInHintCookie } from '../../src/shared/signed-in-hint.ts'
import { createQueryClient } from '../../src/web/api/query-client.ts'
import { ConfirmDialogs } from '../../src/web/ui/confirm.tsx'
import { Toaster } from '../../src/web/ui/toast.tsx'

export interface PageRequest {
  /** The call's method and path, such as `GET /api/files`. */
  call: string
  query: Record<string, string>
  body: unknown
}

/**
 * Returns the response to a call: either a `Response`, or a value that is sent as JSON with status
 * 200.
 */
type Responder = (requests: PageRequest) => unknown

/** A page in happy-dom that shows toasts and talks to a fake server. */
export interface WebPage {
  /** All requests that the page has sent so far, in order. */
  requests: PageRequest[]
  /** Sets the response to a call, such as `GET /api/files`. */
  on(call: string, response: Responder): void
  client: QueryClient
  /** Returns how many times the page has noticed that its session had ended. */
  signOutCount(): number
  show(element: ReactNode): ReturnType<typeof render>
  run<Result, Props>(
    hook: (props: Props) => Result,
    initialProps?: Props,
  ): ReturnType<typeof renderHook<Result, Props>>
  /** Returns the page's text, including that of toasts. */
  text(): string
  close(): void
}

/**
 * Opens a page. Calls for which no response has been set fail as if the server were unreachable.
 */
export function openPage(): WebPage {
  const responders = new Map<string, Responder>()
  const requests: PageRequest[] = []
  let signOutTotal = 0
  const client = createQueryClient(() => {
    signOutTotal += 1
  })
  vi.stubGlobal('fetch', async (input: string | URL, { method = 'GET', body }: RequestInit) => {
    const { pathname, searchParams } = new URL(input, window.location.origin)
    const request = {
      call: `${method} ${pathname}`,
      query: Object.fromEntries(searchParams),
      body: typeof body === 'string' ? JSON.parse(body) : undefined,
    }
    requests.push(request)
    const responder = responders.get(request.call)
    if (responder === undefined) throw new TypeError('Failed to fetch')
    const result = await responder(request)
    return result instanceof Response ? result : Response.json(result)
  })
  const wrapper = ({ children }: { children: ReactNode }) =>
    createElement(
      QueryClientProvider,
      { client },
      createElement(
        Fragment,
        null,
        children,
        createElement(ConfirmDialogs),
        createElement(Toaster),
      ),
    )
  return {
    requests,
    on: (call, response) => void responders.set(call, response),
    client,
    signOutCount: () => signOutTotal,
    show: (element) => render(element, { wrapper }),
    run: <Result, Props>(hook: (props: Props) => Result, initialProps?: Props) =>
      initialProps === undefined
        ? renderHook<Result, Props>(hook, { wrapper })
        : renderHook<Result, Props>(hook, { wrapper, initialProps }),
    text: () => document.body.textContent,
    close() {
      cleanup()
      client.clear()
      vi.unstubAllGlobals()
    },
  }
}

/** Sets or removes the cookie that tells the page that the user is probably signed in. */
export function setSignedInHint(isSignedIn: boolean): void {
  // To remove the cookie, use Expires, because happy-dom ignores Max-Age.
  const expiry = isSignedIn ? '' : '; Expires=Thu, 01 Jan 1970 00:00:00 GMT'
  Reflect.set(document, 'cookie', `${signedInHintCookie}=abc; Path=/${expiry}`)
}

export function errorResponse(status: number, code?: ErrorCode, message?: string): Response {
  return Response.json({ ...(code && { code }), ...(message && { message }) }, { status })
}

export function unauthorized(): Response {
  return errorResponse(401, 'UNAUTHORIZED', 'Unauthorized')
}

/** Creates a response that isn't sent until the test calls `resolve`. */
export function delayedResponse(): {
  respond: () => Promise<unknown>
  resolve: (result: unknown) => void
} {
  const { promise, resolve } = Promise.withResolvers<unknown>()
  return { respond: () => promise, resolve }
}
