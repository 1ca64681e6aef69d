// A host on this machine for tests: answers from a table, counts nothing, ends with `close`.

import { createServer } from "node:http";

/** `{ url, close }` of a server that answers `{ "/path": { status, type, body } }`. */
export async function host(answers) {
  const server = createServer((request, response) => {
    const { status = 200, type = "text/plain", body = "" } = answers[request.url] ?? { status: 404, body: "not found" };
    response.writeHead(status, { "Content-Type": type });
    response.end(body);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${server.address().port}`, close };
}
