import { useSyncExternalStore } from 'react'
import type { Theme } from '../../shared/rules/accounts/theme.ts'
import { currentTheme, setTheme, subscribeToTheme } from './theme.ts'

/** Returns the theme and a function that changes it. */
export function useTheme(): [Theme, (theme: Theme) => void] {
  return [useSyncExternalStore(subscribeToTheme, currentTheme, () => 'light' as const), setTheme]
}
