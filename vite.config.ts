import { fileURLToPath } from 'node:url'
import tailwind from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin, type ProxyOptions } from 'vite'
import { previewPath, publicPages, sharePath, signInPages } from './src/shared/public-pages.ts'
import { signedInHintCookie } from './src/shared/signed-in-hint.ts'
import { themeBoot } from './src/web/ui/theme-boot.ts'

function folder(path: string) {
  return fileURLToPath(new URL(path, import.meta.url))
}

/** Puts the theme script first in <head>, so that it runs before the first paint. */
function inlineThemeBoot(): Plugin {
  return {
    name: 'inline-theme-boot',
    transformIndexHtml: () => [{ tag: 'script', children: themeBoot, injectTo: 'head-prepend' }],
  }
}

const server = 'http://127.0.0.1:3000'

/**
 * In development Vite proxies public pages to the server, which fills in the built ones. Signed-in
 * people get the application at /.
 */
const builtPaths = Object.values({ ...publicPages, ...signInPages }).map(({ path }) =>
  path.slice(1),
)
const toPublicPages: ProxyOptions = {
  target: server,
  bypass: ({ url, headers }) =>
    url === '/' && headers.cookie?.includes(`${signedInHintCookie}=`) ? '/index.html' : undefined,
}

export default defineConfig({
  root: folder('src/web'),
  plugins: [react(), tailwind(), inlineThemeBoot()],
  build: {
    outDir: folder('dist/web'),
    emptyOutDir: true,
    target: 'es2022',
    assetsInlineLimit: 0,
  },
  server: {
    host: '127.0.0.1',
    fs: { allow: [folder('.')] },
    proxy: {
      // Vite serves src/web/api under the same path.
      '^/api/(?!.*\\.ts(\\?|$))': server,
      '/s/': server,
      '/download/': server,
      '/storage/': server,
      [`^/(${builtPaths.join('|')})(\\?|$)`]: toPublicPages,
      [previewPath]: server,
      [sharePath]: server,
      // The server's public pages need these built files.
      '/assets/': server,
    },
  },
})
