import { fileURLToPath } from 'node:url'
import tailwind from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin, type ProxyOptions } from 'vite'
import { previewPath, publicPages, sharePath } from './src/shared/public-pages.ts'
import { signedInHint } from './src/shared/signed-in-hint.ts'
import { themeBoot } from './src/web/ui/theme-boot.ts'

function folder(path: string) {
  return fileURLToPath(new URL(path, import.meta.url))
}

/** Puts the theme's script first in <head>, where it runs before anything is painted. */
function inlineThemeBoot(): Plugin {
  return {
    name: 'inline-theme-boot',
    transformIndexHtml: () => [{ tag: 'script', children: themeBoot, injectTo: 'head-prepend' }],
  }
}

const server = 'http://127.0.0.1:3000'

/** The built public pages are the server's. At / it has one for visitors alone. */
const publicPaths = Object.values(publicPages).map(({ path }) => path.slice(1))
const toPublicPages: ProxyOptions = {
  target: server,
  bypass: ({ url, headers }) =>
    url === '/' && headers.cookie?.includes(`${signedInHint}=`) ? '/index.html' : undefined,
}

export default defineConfig({
  root: folder('src/web'),
  plugins: [react(), tailwind(), inlineThemeBoot()],
  build: {
    outDir: folder('dist/web'),
    emptyOutDir: true,
    target: 'es2022',
    assetsInlineLimit: 0,
    rolldownOptions: {
      output: {
        // React changes seldom: browsers keep it when our own code changes.
        codeSplitting: {
          groups: [{ name: 'react', test: /\/node_modules\/(react|react-dom|scheduler)\// }],
        },
      },
    },
  },
  server: {
    host: '127.0.0.1',
    fs: { allow: [folder('.')] },
    proxy: {
      // Vite serves the modules of src/web/api under the same path.
      '^/api/(?!.*\\.ts(\\?|$))': server,
      '/s/': server,
      '/download/': server,
      '/storage/': server,
      [`^/(${publicPaths.join('|')})(\\?|$)`]: toPublicPages,
      [previewPath]: server,
      [sharePath]: server,
      // What the built pages ask for; the application itself has no such path here.
      '/assets/': server,
    },
  },
})
