import { currentTheme, setTheme, subscribeToTheme } from '../ui/theme.ts'

/** Makes the theme button work, if the page has one. */
export function offerTheme(): void {
  const button = document.querySelector('#theme')
  if (button === null) return
  const other = () => (currentTheme() === 'dark' ? 'light' : 'dark')
  const name = () => button.setAttribute('aria-label', `Switch to ${other()} theme`)
  button.addEventListener('click', () => setTheme(other()))
  subscribeToTheme(name)
  name()
}
