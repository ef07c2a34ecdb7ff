export type Theme = 'light' | 'dark'

/** Where the browser remembers the choice (spec §9: stored in browser, default light). */
export const themeKey = 'mayfly-theme'

const changed = 'mayfly-theme-changed'

/** The theme that shows now. Anything but a chosen dark is light, the default. */
export function currentTheme(): Theme {
  return document.documentElement.dataset.theme === 'dark' ? 'dark' : 'light'
}

function show(theme: Theme) {
  document.documentElement.dataset.theme = theme
  window.dispatchEvent(new Event(changed))
}

/** Shows a theme and remembers it; where storage is refused it holds until the page is left. */
export function setTheme(theme: Theme): void {
  try {
    localStorage.setItem(themeKey, theme)
  } catch {
    // Storage is blocked or full: the choice still shows.
  }
  show(theme)
}

/**
 * Calls `listener` whenever the theme changes, here or in another tab, and answers how to stop it:
 * the shape that React's `useSyncExternalStore` takes.
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
