/** Returns a choice that this browser remembers; null if there is none or localStorage is blocked. */
export function readSetting(key: string): string | null {
  try {
    return localStorage.getItem(key)
  } catch {
    return null
  }
}

/** Remembers a choice in this browser, or until the next page load if localStorage is unavailable. */
export function saveSetting(key: string, value: string): void {
  try {
    localStorage.setItem(key, value)
  } catch {
    // localStorage is blocked or full.
  }
}
