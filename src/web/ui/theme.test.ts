// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { currentTheme, setTheme, subscribeToTheme, themeKey } from './theme.ts'

let seen: string[]
let stop: () => void
beforeEach(() => {
  localStorage.clear()
  document.documentElement.removeAttribute('data-theme')
  seen = []
  stop = subscribeToTheme(() => seen.push(currentTheme()))
})
afterEach(() => {
  stop()
  vi.unstubAllGlobals()
})

it('is light by default and persists a change', () => {
  expect(currentTheme()).toBe('light')
  setTheme('dark')
  expect(currentTheme()).toBe('dark')
  expect(localStorage.getItem(themeKey)).toBe('dark')
  setTheme('light')
  expect(seen).toEqual(['dark', 'light'])
})

it('changes even if localStorage is unavailable', () => {
  const refuse = () => {
    throw new Error('blocked')
  }
  vi.stubGlobal('localStorage', { setItem: refuse })
  setTheme('dark')
  expect(seen).toEqual(['dark'])
})

it('follows changes in other tabs, but ignores other storage keys', () => {
  const tell = (key: string, newValue: string | null) =>
    window.dispatchEvent(new StorageEvent('storage', { key, newValue }))
  tell(themeKey, 'dark')
  tell('another', 'light')
  tell(themeKey, null)
  expect(seen).toEqual(['dark', 'light'])
})

it('stops notifying a listener after it unsubscribes', () => {
  stop()
  setTheme('dark')
  window.dispatchEvent(new StorageEvent('storage', { key: themeKey, newValue: 'light' }))
  expect(seen).toEqual([])
  expect(currentTheme()).toBe('dark')
})
