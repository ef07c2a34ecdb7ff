import { type QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, render, renderHook } from '@testing-library/react'
import { createElement, Fragment, type ReactNode } from 'react'
import { vi } from 'vitest'
import type { ErrorCode } from '../../src/shared/contract/errors.ts'
import { signedInHint } from '../../src/shared/signed-in-hint.ts'
import { createQueryClient } from '../../src/web/api/query-client.ts'
import { ConfirmDialogs } from '../../src/web/ui/dialog.tsx'
import { Toaster } from '../../src/web/ui/toast.tsx'

/** A request that the page has sent to the server. */
export interface Asked {
  /** The method and the path. Example: `GET /api/files`. */
  call: string
  query: Record<string, string>
  /** The parsed JSON body. Undefined if the request has no body. */
  body: unknown
}

/**
 * Returns the answer to a call: a value, which is sent as JSON with status 200, or a whole
 * response.
 */
type Answer = (asked: Asked) => unknown

/** A page in happy-dom, with toasts, and a simulated server whose answers the test sets. */
export interface WebPage {
  /** All requests so far, in the order in which they were sent. */
  asked: Asked[]
  /** Sets the answer to a call. Example of a call: `GET /api/files`. */
  on(call: string, answer: Answer): void
  client: QueryClient
  /** Returns how often the page has noticed that the session has ended. */
  signedOut(): number
  /** Draws an element in the page. */
  show(element: ReactNode): ReturnType<typeof render>
  /** Runs a hook in the page. */
  run<Result, Props>(
    hook: (props: Props) => Result,
    initialProps?: Props,
  ): ReturnType<typeof renderHook<Result, Props>>
  /** Returns the text of the page, including its toasts. */
  text(): string
  /** Removes the page. */
  close(): void
}

/**
 * Opens a page. If a test has not set the answer to a call, the call fails as if the server could
 * not be reached.
 */
export function openPage(): WebPage {
  const answers = new Map<string, Answer>()
  const asked: Asked[] = []
  let signedOut = 0
  const client = createQueryClient(() => {
    signedOut += 1
  })
  vi.stubGlobal('fetch', async (input: string | URL, { method = 'GET', body }: RequestInit) => {
    const { pathname, searchParams } = new URL(input, window.location.origin)
    const request = {
      call: `${method} ${pathname}`,
      query: Object.fromEntries(searchParams),
      body: typeof body === 'string' ? JSON.parse(body) : undefined,
    }
    asked.push(request)
    const answer = answers.get(request.call)
    if (answer === undefined) throw new TypeError('Failed to fetch')
    const result = await answer(request)
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
    asked,
    on: (call, answer) => void answers.set(call, answer),
    client,
    signedOut: () => signedOut,
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

/** Sets or removes the cookie which hints that somebody is signed in. */
export function hintSignedIn(isSignedIn: boolean): void {
  // happy-dom ignores Max-Age, so the cookie is removed with Expires.
  const end = isSignedIn ? '' : '; Expires=Thu, 01 Jan 1970 00:00:00 GMT'
  Reflect.set(document, 'cookie', `${signedInHint}=abc; Path=/${end}`)
}

/** Makes an answer with which the server refuses a call. */
export function refused(status: number, code?: ErrorCode, message?: string): Response {
  return Response.json({ ...(code && { code }), ...(message && { message }) }, { status })
}

/** Makes the server's answer to a call without a session. */
export function unauthorized(): Response {
  return refused(401, 'UNAUTHORIZED', 'Unauthorized')
}

/** Makes an answer that the server sends only when the test calls `come`. */
export function later(): { answer: () => Promise<unknown>; come: (result: unknown) => void } {
  const { promise, resolve } = Promise.withResolvers<unknown>()
  return { answer: () => promise, come: resolve }
}
