import { useSyncExternalStore } from 'react'
import { currentTheme, setTheme, subscribeToTheme, type Theme } from './theme.ts'

/** The theme and the way to change it, for components that show which one is on. */
export const useTheme = (): [Theme, (theme: Theme) => void] => [
  useSyncExternalStore(subscribeToTheme, currentTheme, () => 'light' as const),
  setTheme,
]
