import { Moon, Sun } from 'lucide-react'
import { useSyncExternalStore } from 'react'
import type { Theme } from '../../shared/rules/accounts/accent.ts'
import { IconButton } from './button.tsx'
import { getCurrentTheme, setTheme, subscribeToTheme } from './theme.ts'

/** A button that switches between the light and the dark theme (spec §2). */
export function ThemeToggle() {
  const [theme, setTheme] = useTheme()
  const otherTheme = theme === 'dark' ? 'light' : 'dark'
  return (
    <IconButton
      label={`Switch to ${otherTheme} theme`}
      icon={otherTheme === 'dark' ? <Moon /> : <Sun />}
      onClick={() => setTheme(otherTheme)}
    />
  )
}

function useTheme(): [Theme, (theme: Theme) => void] {
  return [useSyncExternalStore(subscribeToTheme, getCurrentTheme, () => 'light' as const), setTheme]
}
