import type { Theme } from '../../shared/rules/accounts/accent.ts'

/** The key under which the browser remembers the theme (spec §2). */
export const themeKey = 'mayfly-theme'

const changed = 'mayfly-theme-changed'

/** Returns the current theme: dark if it was chosen, light by default. */
export function currentTheme(): Theme {
  return document.documentElement.dataset.theme === 'dark' ? 'dark' : 'light'
}

function show(theme: Theme) {
  document.documentElement.dataset.theme = theme
  window.dispatchEvent(new Event(changed))
}

/**
 * Shows a theme and remembers it. If the browser refuses localStorage, the theme lasts until the
 * page is left.
 */
export function setTheme(theme: Theme): void {
  try {
    localStorage.setItem(themeKey, theme)
  } catch {
    // localStorage is blocked or full, but the theme still changes.
  }
  show(theme)
}

/**
 * Calls `listener` whenever the theme changes, in this tab or another one. Returns a function that
 * ends this. `useSyncExternalStore` of React takes a function of this form.
 */
export function subscribeToTheme(listener: () => void): () => void {
  const followOtherTabs = (event: StorageEvent) => {
    if (event.key === themeKey) show(event.newValue === 'dark' ? 'dark' : 'light')
  }
  window.addEventListener(changed, listener)
  window.addEventListener('storage', followOtherTabs)
  return () => {
    window.removeEventListener(changed, listener)
    window.removeEventListener('storage', followOtherTabs)
  }
}
