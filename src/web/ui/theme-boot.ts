import { themeKey } from './theme.ts'

/**
 * The script in the <head> of every page. It applies the stored theme before the first paint, to
 * avoid a flash of the wrong theme. If localStorage is unavailable, the theme is light. The
 * server's Content Security Policy allows the script by its hash, so its text must not vary.
 */
export const themeBoot = `{let t;try{t=localStorage.getItem(${JSON.stringify(themeKey)})}catch{}document.documentElement.dataset.theme=t==='dark'?t:'light'}`
