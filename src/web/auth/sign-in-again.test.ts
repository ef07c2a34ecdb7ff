import { expect, test } from 'vitest'
import type { ToastOptions } from '../ui/toast.tsx'
import { createSignInAgain } from './sign-in-again.ts'

test("toast 'Unauthorized / You are logged out. Logging in again...' and /api/login after 500 ms, once", () => {
  const toasts: ToastOptions[] = []
  const tasks: { task: () => void; delay: number }[] = []
  const visited: string[] = []
  const signInAgain = createSignInAgain(
    (options) => toasts.push(options),
    (task, delay) => tasks.push({ task, delay }),
    (address) => visited.push(address),
    () => '/',
    () => false,
  )

  signInAgain()
  signInAgain()

  expect(toasts).toEqual([
    {
      title: 'Unauthorized',
      description: 'You are logged out. Logging in again...',
      tone: 'destructive',
    },
  ])
  expect(tasks.map(({ delay }) => delay)).toEqual([500])
  expect(visited).toEqual([])
  tasks[0]?.task()
  expect(visited).toEqual(['/api/login'])
})

test('a page that holds something stays: one toast for calls that fail at once, then it looks again', () => {
  const toasts: ToastOptions[] = []
  const tasks: (() => void)[] = []
  const visited: string[] = []
  let isGuarded = true
  const signInAgain = createSignInAgain(
    (options) => toasts.push(options),
    (task) => tasks.push(task),
    (address) => visited.push(address),
    () => '/',
    () => isGuarded,
  )
  signInAgain()
  signInAgain()
  expect(toasts).toEqual([
    {
      title: 'Unauthorized',
      description: 'You are logged out. Log in in another tab, and your uploads go on.',
      tone: 'destructive',
    },
  ])
  tasks.shift()?.()
  expect(visited).toEqual([])
  signInAgain()
  expect(toasts).toHaveLength(2)
  tasks.shift()?.()

  isGuarded = false
  signInAgain()
  tasks.shift()?.()
  expect(visited).toEqual(['/api/login'])
})

test.each([
  ['/?tab=files', '/api/login?next=%2F%3Ftab%3Dfiles'],
  ['/account#sessions', '/api/login?next=%2Faccount%23sessions'],
  ['/login', '/api/login'],
])('signing in again leads back to %s', (page, address) => {
  const visited: string[] = []
  const signInAgain = createSignInAgain(
    () => undefined,
    (task) => task(),
    (to) => visited.push(to),
    () => page,
    () => false,
  )
  signInAgain()
  expect(visited).toEqual([address])
})
