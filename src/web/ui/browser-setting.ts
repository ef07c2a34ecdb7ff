/** Returns a choice that this browser remembers; null if there is none. */
export function readSetting(key: string): string | null {
  try {
    return localStorage.getItem(key)
  } catch {
    return null
  }
}

/** Remembers a choice in this browser, unless localStorage is unavailable. */
export function saveSetting(key: string, value: string): void {
  try {
    localStorage.setItem(key, value)
  } catch {
    // localStorage is blocked or full.
  }
}
