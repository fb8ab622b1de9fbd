// What the Java library does with files, processes, threads and connections.
import java.net.*;
import java.nio.channels.*;
import java.nio.file.*;
import java.util.concurrent.*;

public class Files {
    public static void main(String[] arguments) throws Exception {
        var threads = Executors.newFixedThreadPool(4);
        threads.submit(() -> 1).get();
        threads.shutdown();
        Path place = java.nio.file.Files.createTempDirectory("j");
        java.nio.file.Files.writeString(place.resolve("f"), "x");
        java.nio.file.Files.copy(place.resolve("f"), place.resolve("g"));
        java.nio.file.Files.move(place.resolve("g"), place.resolve("h"));
        if (new ProcessBuilder("echo", "hi").start().waitFor() != 0) System.exit(1);
        try (var server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            new Socket(InetAddress.getLoopbackAddress(), server.getLocalPort()).close();
        }
        try (var file = FileChannel.open(place.resolve("h"), StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            file.lock();
            file.map(FileChannel.MapMode.READ_WRITE, 0, 10);
        }
        Selector.open().selectNow();
        System.gc();
        System.out.println("done");
    }
}
