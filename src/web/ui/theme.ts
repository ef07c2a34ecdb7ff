import type { Theme } from '../../shared/rules/accounts/accent.ts'
import { saveSetting } from './browser-setting.ts'

/** The localStorage key of the theme (spec §2). */
export const themeKey = 'mayfly-theme'

const changeEventName = 'mayfly-theme-changed'

/** Returns the current theme, which is light by default. */
export function getCurrentTheme(): Theme {
  return document.documentElement.dataset.theme === 'dark' ? 'dark' : 'light'
}

function applyTheme(theme: Theme) {
  document.documentElement.dataset.theme = theme
  window.dispatchEvent(new Event(changeEventName))
}

/** Applies and stores a theme. */
export function setTheme(theme: Theme): void {
  saveSetting(themeKey, theme)
  applyTheme(theme)
}

/**
 * Calls `listener` whenever the theme changes in this tab or another. Returns a function that
 * unsubscribes. The signature is the one that React's `useSyncExternalStore` expects.
 */
export function subscribeToTheme(listener: () => void): () => void {
  const followOtherTabs = (event: StorageEvent) => {
    if (event.key === themeKey) applyTheme(event.newValue === 'dark' ? 'dark' : 'light')
  }
  window.addEventListener(changeEventName, listener)
  window.addEventListener('storage', followOtherTabs)
  return () => {
    window.removeEventListener(changeEventName, listener)
    window.removeEventListener('storage', followOtherTabs)
  }
}
