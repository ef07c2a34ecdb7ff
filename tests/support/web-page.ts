import { type QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, render, renderHook } from '@testing-library/react'
import { createElement, Fragment, type ReactNode } from 'react'
import { vi } from 'vitest'
import type { ErrorCode } from '../../src/shared/contract/errors.ts'
import { signedInHint } from '../../src/shared/signed-in-hint.ts'
import { createQueryClient } from '../../src/web/api/query-client.ts'
import { SignInAgainContext } from '../../src/web/auth/use-sign-in-again.ts'
import { Toaster } from '../../src/web/ui/toast.tsx'

/** A request that the page has sent. */
export interface Asked {
  /** Its method and path, such as `GET /api/files`. */
  call: string
  query: Record<string, string>
  /** The JSON of its body; undefined without one. */
  body: unknown
}

/** What the server answers to a call: the JSON of a success, or a whole response. */
type Answer = (asked: Asked) => unknown

/** A page of the web in happy-dom, with toasts and a server that answers what a test wants. */
export interface WebPage {
  /** Every request so far, in order. */
  asked: Asked[]
  /** Sets the answer to a call, such as `GET /api/files`. */
  on(call: string, answer: Answer): void
  client: QueryClient
  /** How often the page was told that the session has ended. */
  signedOut(): number
  /** Draws an element in the page. */
  show(element: ReactNode): ReturnType<typeof render>
  /** Runs a hook in the page. */
  run<Result, Props>(
    hook: (props: Props) => Result,
    initialProps?: Props,
  ): ReturnType<typeof renderHook<Result, Props>>
  /** Returns the text of the page, its toasts included. */
  text(): string
  /** Takes the page away. */
  close(): void
}

/** Opens a page. Calls that no test has answered fail as if the server were away. */
export function openPage(): WebPage {
  const answers = new Map<string, Answer>()
  const asked: Asked[] = []
  let signedOut = 0
  const signInAgain = () => {
    signedOut += 1
  }
  const client = createQueryClient(signInAgain)
  vi.stubGlobal('fetch', async (input: string, { method, body }: RequestInit) => {
    const { pathname, searchParams } = new URL(input, 'http://page.example')
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
      SignInAgainContext.Provider,
      { value: signInAgain },
      createElement(
        QueryClientProvider,
        { client },
        createElement(Fragment, null, children, createElement(Toaster)),
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
  // happy-dom does not obey Max-Age.
  const end = isSignedIn ? '' : '; Expires=Thu, 01 Jan 1970 00:00:00 GMT'
  Reflect.set(document, 'cookie', `${signedInHint}=abc; Path=/${end}`)
}

/** Makes the server's answer to a call that it refuses. */
export function refused(status: number, code?: ErrorCode, message?: string): Response {
  return Response.json({ ...(code && { code }), ...(message && { message }) }, { status })
}

/** The server's answer to a call without a session. */
export function unauthorized(): Response {
  return refused(401, 'UNAUTHORIZED', 'Unauthorized')
}

/** An answer that comes when a test wants it. */
export function later(): { answer: () => Promise<unknown>; come: (result: unknown) => void } {
  const { promise, resolve } = Promise.withResolvers<unknown>()
  return { answer: () => promise, come: resolve }
}
