import { Moon, Sun } from 'lucide-react'
import { IconButton } from './button.tsx'
import { useTheme } from './use-theme.ts'

/** A button that switches between the light and the dark theme (spec §2). */
export function ThemeToggle() {
  const [theme, setTheme] = useTheme()
  const other = theme === 'dark' ? 'light' : 'dark'
  return (
    <IconButton
      label={`Switch to ${other} theme`}
      icon={other === 'dark' ? <Moon /> : <Sun />}
      onClick={() => setTheme(other)}
    />
  )
}
