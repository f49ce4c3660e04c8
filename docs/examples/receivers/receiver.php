<?php
// Receives Waybill's registrations: PHP 8 with pdo_sqlite (Debian: php-cli, php-sqlite3), its built-in server, SQLite.
//
// Run it:    RECEIVER_TOKEN_FILE=token RECEIVER_DATABASE=documents.sqlite PHP_CLI_SERVER_WORKERS=4 \
//              php -d post_max_size=32M -d memory_limit=512M -S 127.0.0.1:8080 receiver.php
// Waybill:   [backend.main]
//            url   = "http://127.0.0.1:8080/documents"
//            token = { file = "/etc/waybill/keys/backend-token" }   # the same text as in the file "token"
//
// The document and its Idempotency-Key are one transaction, so a repeated request finds both or neither.
// Under PHP-FPM it works unchanged; set both variables and post_max_size there, and pass Authorization on.

function answer(int $status, array $content): never
{
    http_response_code($status);
    header('Content-Type: application/json');
    $text = json_encode($content, JSON_INVALID_UTF8_SUBSTITUTE);
    header('Content-Length: ' . strlen($text)); // else an answer that was cut looks whole
    echo $text;
    exit;
}

/** The document's number, or null if the key came with another body before. */
function register(string $key, string $body, array $document): ?int
{
    $database = new PDO('sqlite:' . (getenv('RECEIVER_DATABASE') ?: 'documents.sqlite'));
    $database->setAttribute(PDO::ATTR_TIMEOUT, 20);
    $database->exec('PRAGMA synchronous = EXTRA'); // FULL may lose the last commit in a power cut
    $database->exec('BEGIN IMMEDIATE'); // a second request with this key waits here
    $database->exec('CREATE TABLE IF NOT EXISTS document (number INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE,
        fingerprint TEXT NOT NULL, link TEXT NOT NULL, name TEXT NOT NULL)');
    $find = $database->prepare('SELECT number, fingerprint FROM document WHERE key = ?');
    $find->execute([$key]);
    $done = $find->fetch(PDO::FETCH_ASSOC);
    $find->closeCursor();
    $fingerprint = hash('sha256', $body);
    if ($done === false) {
        $database->prepare('INSERT INTO document (key, fingerprint, link, name) VALUES (?, ?, ?, ?)')
            ->execute([$key, $fingerprint, $document['link'], $document['name']]);
        $done = ['number' => $database->lastInsertId(), 'fingerprint' => $fingerprint];
    }
    $database->exec('COMMIT');
    return $done['fingerprint'] === $fingerprint ? (int) $done['number'] : null;
}

ini_set('display_errors', '0'); // a warning in front of the answer would be part of it
$key = trim($_SERVER['HTTP_IDEMPOTENCY_KEY'] ?? '', '"');
$token = trim((string) file_get_contents((string) getenv('RECEIVER_TOKEN_FILE')));
$limit = ini_parse_quantity(ini_get('post_max_size'));
if (parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH) !== '/documents') {
    answer(404, ['error' => 'registrations go to /documents']);
} elseif ($_SERVER['REQUEST_METHOD'] !== 'POST') {
    answer(405, ['error' => 'registrations come by POST']);
} elseif ($token === '') {
    answer(500, ['error' => 'the receiver cannot read its token']);
} elseif (!hash_equals("Bearer $token", $_SERVER['HTTP_AUTHORIZATION'] ?? '')) {
    answer(401, ['error' => 'the token is wrong']);
} elseif ((int) ($_SERVER['CONTENT_LENGTH'] ?? 0) > $limit) {
    answer(413, ['error' => "a body may have $limit bytes (post_max_size)"]); // PHP has dropped it
} elseif ($key === '') {
    answer(400, ['error' => 'Idempotency-Key is missing']);
}
$body = (string) file_get_contents('php://input');
$document = json_decode($body, true);
if (!is_array($document) || !is_string($document['link'] ?? null) || !is_string($document['name'] ?? null)) {
    answer(400, ['error' => 'this is no registration: link and name are needed']);
}
try {
    $number = register($key, $body, $document);
} catch (PDOException $error) { // a full disk, a locked file: Waybill tries again
    answer(500, ['error' => $error->getMessage()]);
}
$number === null ? answer(422, ['error' => 'this Idempotency-Key came with another body before'])
    : answer(201, ['number' => $number]);
