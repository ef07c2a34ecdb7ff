// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { getCurrentTheme, setTheme, subscribeToTheme, themeKey } from './theme.ts'

let themes: string[]
let unsubscribe: () => void
beforeEach(() => {
  localStorage.clear()
  document.documentElement.removeAttribute('data-theme')
  themes = []
  unsubscribe = subscribeToTheme(() => themes.push(getCurrentTheme()))
})
afterEach(() => {
  unsubscribe()
  vi.unstubAllGlobals()
})

it('is light by default and persists a change', () => {
  expect(getCurrentTheme()).toBe('light')
  setTheme('dark')
  expect(getCurrentTheme()).toBe('dark')
  expect(localStorage.getItem(themeKey)).toBe('dark')
  setTheme('light')
  expect(themes).toEqual(['dark', 'light'])
})

it('changes even if localStorage is unavailable', () => {
  const throwBlocked = () => {
    throw new Error('blocked')
  }
  vi.stubGlobal('localStorage', { setItem: throwBlocked })
  setTheme('dark')
  expect(themes).toEqual(['dark'])
})

it('follows changes in other tabs, but ignores other storage keys', () => {
  const dispatchStorageEvent = (key: string, newValue: string | null) =>
    window.dispatchEvent(new StorageEvent('storage', { key, newValue }))
  dispatchStorageEvent(themeKey, 'dark')
  dispatchStorageEvent('another', 'light')
  dispatchStorageEvent(themeKey, null)
  expect(themes).toEqual(['dark', 'light'])
})

it('stops notifying a listener after it unsubscribes', () => {
  unsubscribe()
  setTheme('dark')
  window.dispatchEvent(new StorageEvent('storage', { key: themeKey, newValue: 'light' }))
  expect(themes).toEqual([])
  expect(getCurrentTheme()).toBe('dark')
})
