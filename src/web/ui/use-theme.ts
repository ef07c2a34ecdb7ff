import { useSyncExternalStore } from 'react'
import { currentTheme, setTheme, subscribeToTheme, type Theme } from './theme.ts'

/** Returns the theme and a function that changes it. */
export function useTheme(): [Theme, (theme: Theme) => void] {
  return [useSyncExternalStore(subscribeToTheme, currentTheme, () => 'light' as const), setTheme]
}
