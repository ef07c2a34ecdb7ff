import { useSyncExternalStore } from 'react'
import { currentTheme, setTheme, subscribeToTheme, type Theme } from './theme.ts'

/** The theme and the way to change it, for components that show which one is on. */
export function useTheme(): [Theme, (theme: Theme) => void] {
  return [useSyncExternalStore(subscribeToTheme, currentTheme, () => 'light' as const), setTheme]
}
